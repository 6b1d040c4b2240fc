import type { Format } from '../source.ts';
import { secForm345 } from './sec-form345.ts';
import { secOwnershipXml } from './sec-ownership-xml.ts';
import { secSubmissionText } from './sec-submission-text.ts';
import { secSubmissionsJson } from './sec-submissions-json.ts';

/** Every format of the filings by which insiders report their trades, and of the lists that date them. */
export const secFormats: readonly Format[] = [
  secForm345,
  secOwnershipXml,
  secSubmissionText,
  secSubmissionsJson,
];
