import { alfredWide } from './alfred-wide.ts';
import { asofCsv } from './asof-csv.ts';
import { datedPanel } from './dated-panel.ts';
import { fredApi } from './fred-api.ts';
import { fredCsv } from './fred-csv.ts';
import { fredMd, fredQd } from './fred-md.ts';
import { fredSeries } from './fred-series.ts';
import { metadataCsv } from './metadata-csv.ts';
import { rtdsm } from './rtdsm.ts';
import type { Format } from './source.ts';

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
