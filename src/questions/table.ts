import type { Demands } from '../answering/basis.ts';
import { typed } from '../answering/question.ts';
import {
  insiderClusterExplanations as explanations,
  insiderClusters,
  insiderClusterSignals as signals,
} from '../operations/insiders/clusters.ts';
import { insiderFilings } from '../operations/insiders/filings.ts';
import type { RowOf } from '../operations/operation.ts';
import type { ParamsOf } from '../operations/param.ts';
import { compositions, ofOperations } from './figures.ts';
import { asking } from './operation-question.ts';

const clusters = asking(insiderClusters, explanations, signals);
const insiderClusterExplanations = asking(explanations);
const insiderClusterSignals = asking(signals);

type AskedOf<Q> = Demands & ParamsOf<Q>;
type Clusters = AskedOf<typeof clusters>;
type MaybeFlagged<N extends string> = Omit<Clusters, N> & { readonly [K in N]?: boolean | undefined };
type ClusterRow = RowOf<typeof insiderClusters>;
type ExplanationRow = RowOf<typeof explanations>;
type SignalRow = RowOf<typeof signals>;

const aboutInsiders = {
  insiderFilings: asking(insiderFilings),
  insiderClusters: {
    ...clusters,
    method:
      typed<
        [
          [[params: AskedOf<typeof insiderClusterExplanations> & { readonly explain: true }], ExplanationRow],
          [[params: AskedOf<typeof insiderClusterSignals> & { readonly signals: true }], SignalRow],
          [[params?: Clusters], ClusterRow],
          [
            [params: MaybeFlagged<'explain'> | MaybeFlagged<'signals'>],
            ClusterRow | ExplanationRow | SignalRow,
          ],
        ]
      >(),
  },
  insiderClusterExplanations,
  insiderClusterSignals,
};

/** Every question, by the name of its method, which takes the docstring there. */
export const questions: typeof ofOperations & typeof aboutInsiders & typeof compositions = {
  // A type without names for the parts would lose the docstrings.
  ...ofOperations,
  ...aboutInsiders,
  ...compositions,
};
