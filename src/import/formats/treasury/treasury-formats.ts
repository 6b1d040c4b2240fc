import type { Format } from '../format.ts';
import { h15Csv } from './h15.ts';
import { treasuryParCsv, treasuryRealCsv } from './csv.ts';
import { treasuryXml } from './xml.ts';

/** Every format of daily treasury curves. */
export const treasuryFormats: readonly Format[] = [treasuryParCsv, treasuryRealCsv, treasuryXml, h15Csv];
