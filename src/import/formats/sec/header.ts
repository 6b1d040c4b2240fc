import type { FormType } from '../../../domain/insider/filing.ts';
import { refusal, type SourceFile } from '../../files/source-file.ts';
import type { Acceptance } from './document.ts';
import { parseAccession, parseCompactDay, parseEasternTime, parseForm } from './values.ts';

/** The SGML header of a full submission. */
export type SubmissionHeader = Acceptance & { readonly accessionNumber: string; readonly formType: FormType };

const beginning =
  /^\s*(?:-----BEGIN PRIVACY-ENHANCED MESSAGE-----[\s\S]*?)?<(?:SEC-DOCUMENT|SEC-HEADER|IMS-DOCUMENT|IMS-HEADER)>/;

/** The form type in the header of a full submission (empty if it has none); undefined for any other file. */
export function submissionType(head: string): string | undefined {
  return beginning.test(head) ? (headerField(headerIn(head), 'CONFORMED SUBMISSION TYPE') ?? '') : undefined;
}

/** Reads the header of a full submission; refused if it lacks the accession number, the form type or the filing date. */
export function readHeader(file: SourceFile, text: string): SubmissionHeader {
  const header = headerIn(text);
  const read = <T>(name: string, parse: (text: string) => T | undefined, what: string): T => {
    const value = headerField(header, name);
    if (value === undefined) throw refusal(file, { column: name }, 'the SGML header lacks this line');
    const found = parse(value);
    if (found !== undefined) return found;
    const row = header.slice(0, header.indexOf(name)).split('\n').length;
    throw refusal(file, { row, column: name, value }, `not ${what}`);
  };
  const accessionNumber = read('ACCESSION NUMBER', parseAccession, 'an accession number');
  return {
    filingId: accessionNumber,
    accessionNumber,
    formType: read('CONFORMED SUBMISSION TYPE', parseForm, 'one of the forms 3, 4, 5, 3/A, 4/A and 5/A'),
    filedOn: read('FILED AS OF DATE', parseCompactDay, 'a date of the form YYYYMMDD'),
    acceptedAt:
      headerField(header, 'ACCEPTANCE-DATETIME') === undefined
        ? null
        : read('ACCEPTANCE-DATETIME', parseEasternTime, 'a time of the form YYYYMMDDhhmmss'),
  };
}

function headerIn(text: string): string {
  const end = text.search(/<\/(?:SEC|IMS)-HEADER>|<DOCUMENT>/);
  return end < 0 ? text : text.slice(0, end);
}

/** The value of `<NAME>value` or `NAME:   value`. */
function headerField(header: string, name: string): string | undefined {
  const [, value = ''] = new RegExp(`^[ \\t]*(?:<${name}>|${name}:)(.*)$`, 'm').exec(header) ?? [];
  return value.trim() === '' ? undefined : value.trim();
}
