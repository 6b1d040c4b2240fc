import type { ImportFormat } from '../format.ts';
import { ecbLog } from './ecb.ts';
import { ecbVintage } from './ecb-files.ts';
import { eurostatTableFile } from './eurostat.ts';
import { oecdRevisions } from './oecd.ts';

/** The formats of the statistical offices and banks that publish in SDMX, in the order of the help. */
export const sdmxFormats: readonly ImportFormat[] = [ecbLog, ecbVintage, eurostatTableFile, oecdRevisions];
