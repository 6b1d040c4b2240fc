import { insiderClusters } from '../../operations/index.ts';
import { knowledgeDay } from '../options/knowledge.ts';
import type { QueryCommand } from './query.ts';

/** `asof insider clusters`; with `--explain` one row a trade in or near each cluster, and what became of it. */
export const clustersCommand: QueryCommand = {
  addFlags: (command) => {
    command.option('--explain', 'which trades made each cluster, and which near ones were left out and why');
  },
  async shape(flags, _output, { client, io, talk }) {
    if (flags.explain !== true) return undefined;
    const asOf = knowledgeDay(flags, io, talk);
    const days = Number(flags.days ?? insiderClusters.params.days?.fallback);
    const { explained, explanation } = await import('../composed/cluster-explanation.ts');
    return {
      fields: explanation,
      columns: explanation.map(({ name }) => name),
      async *pages(pages) {
        for await (const page of pages)
          yield await explained(page, {
            client,
            signal: io.signal,
            days,
            warn: talk.warn,
            ...(asOf !== undefined && { asOf }),
          });
      },
    };
  },
};
