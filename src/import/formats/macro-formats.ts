import { alfredWide } from './fred/alfred-wide.ts';
import { fredApi } from './fred/observations.ts';
import { fredCsv } from './fred/csv.ts';
import { fredSeries } from './fred/series.ts';
import { asofCsv } from './own/statements.ts';
import { metadataCsv } from './own/metadata.ts';
import { datedPanel } from './panels/dated.ts';
import { fredMd, fredQd } from './panels/fred-md.ts';
import { rtdsm } from './rtdsm/rtdsm.ts';
import type { Format } from './format.ts';

/** The formats of macro-economic series and of their metadata, asof's own first. */
export const macroFormats: readonly Format[] = [
  asofCsv,
  metadataCsv,
  fredApi,
  fredSeries,
  alfredWide,
  fredCsv,
  fredMd,
  fredQd,
  datedPanel,
  rtdsm,
];
