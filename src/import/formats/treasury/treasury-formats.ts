import type { Format } from '../source.ts';
import { h15Csv } from './h15.ts';
import { treasuryParCsv, treasuryRealCsv } from './treasury-csv.ts';
import { treasuryXml } from './treasury-xml.ts';

/** Every format of daily treasury curves. */
export const treasuryFormats: readonly Format[] = [treasuryParCsv, treasuryRealCsv, treasuryXml, h15Csv];
