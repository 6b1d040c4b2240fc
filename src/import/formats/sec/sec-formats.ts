import type { Format } from '../format.ts';
import { secForm345 } from './form345.ts';
import { secOwnershipXml } from './ownership-xml.ts';
import { secSubmissionText } from './submission-text.ts';
import { secSubmissionsJson } from './sec-submissions-json.ts';

/** Every format of the filings by which insiders report their trades, and of the lists that date them. */
export const secFormats: readonly Format[] = [
  secForm345,
  secOwnershipXml,
  secSubmissionText,
  secSubmissionsJson,
];
