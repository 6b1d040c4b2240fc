import { alfredWide } from './fred/alfred-wide.ts';
import { fredApi } from './fred/fred-api.ts';
import { fredCsv } from './fred/fred-csv.ts';
import { fredSeries } from './fred/fred-series.ts';
import { asofCsv } from './own/asof-csv.ts';
import { metadataCsv } from './own/metadata-csv.ts';
import { datedPanel } from './panels/dated-panel.ts';
import { fredMd, fredQd } from './panels/fred-md.ts';
import { rtdsm } from './rtdsm/rtdsm.ts';
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
