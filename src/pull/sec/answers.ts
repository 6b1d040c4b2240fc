import type { HttpReply } from '../../client/remote/exchange.ts';
import { Problem } from '../../errors/problem.ts';
import type { SourceFile } from '../../import/files/source-file.ts';
import { readHeader } from '../../import/formats/sec/document.ts';
import { secSubmissionText } from '../../import/formats/sec/submission-text.ts';
import type { ImportFile } from '../../import/load/load.ts';
import type { ReplyMeaning } from '../getter.ts';
import { document, type PullTask } from '../source.ts';

/** The SEC wants no request for so many seconds after one that it throttled. */
const pause = 600;

/** What a reply of the SEC means. One status has several meanings, which only the body tells. */
export function classify({ status, body }: HttpReply): ReplyMeaning {
  const text = body.subarray(0, 16_384).toString('latin1');
  const isPage = /^\s*<(?:!doctype\s+html|html)\b/i.test(text);
  // The page that refuses an agent has also come with the status 200.
  if (isPage && /Undeclared Automated Tool/i.test(text)) return { failed: undeclared() };
  if (isPage && /Request Rate Threshold Exceeded/i.test(text))
    return { throttledFor: pause, problem: throttled('its request rate threshold is exceeded') };
  if (status === 429) return { throttledFor: pause, problem: throttled('HTTP 429') };
  if (status === 200 || isAbsent({ status, body })) return 'answer';
  if (status >= 500 || status === 408)
    return { transient: new Problem('service-unavailable', `the SEC answered with HTTP ${status}`) };
  return {
    failed: new Problem('bad-answer', `the SEC answered with HTTP ${status} and none of its known texts`),
  };
}

/** Whether the SEC says that it has no such file, such as the index of a holiday or the list of an unknown CIK. */
export function isAbsent({ status, body }: Pick<HttpReply, 'status' | 'body'>): boolean {
  if (status !== 403 && status !== 404) return false;
  return /<Error>\s*<Code>(?:AccessDenied|NoSuchKey)<\/Code>/.test(body.subarray(0, 1024).toString('latin1'));
}

function throttled(reason: string): Problem {
  return new Problem('rate-limit-exceeded', `the SEC asks for a pause of ten minutes: ${reason}`);
}

function undeclared(): Problem {
  return new Problem('unauthorized', 'the SEC does not accept the contact that asof sends', {
    hints: [
      'the contact must be a name and a mail address, such as "Jane Doe jane@example.org"',
      'set it with ASOF_SEC_CONTACT or `asof config set sec_contact …`',
    ],
  });
}

/** A filing to ask for, and the path of its full submission. */
export type WantedFiling = { readonly accessionNumber: string; readonly path: string };

/**
 * So many filings make a window: a transaction after some seconds of requests, which are lost if the pull breaks off.
 */
export const filingsInWindow = 25;

/** The filings that the store does not have with their time of acceptance; all of them for `--full`. */
export async function unheld<T extends WantedFiling>(
  wanted: readonly T[],
  { full, read }: Pick<PullTask, 'full' | 'read'>,
): Promise<readonly T[]> {
  if (full || wanted.length === 0) return wanted;
  const numbers = wanted.map(({ accessionNumber }) => accessionNumber);
  const held = (await read((view) => view.acceptedFilings(numbers))) ?? new Set();
  return wanted.filter(({ accessionNumber }) => !held.has(accessionNumber));
}

/**
 * Asks for full submissions, one request each: it has the ownership document, the filing date and the time of
 * acceptance. One that cannot be read is left out and named. If none of several can be read, the form of all has
 * changed, and they are refused.
 */
export async function submissionsOf(
  wanted: readonly WantedFiling[],
  { get, note }: Pick<PullTask, 'get' | 'note'>,
): Promise<readonly ImportFile[]> {
  const files: ImportFile[] = [];
  const faults: string[] = [];
  for (const { accessionNumber, path } of wanted) {
    const reply = await get(path);
    const file = document({ name: `${accessionNumber}.txt`, path: `filing ${accessionNumber}` }, reply.body);
    const fault = isAbsent(reply)
      ? `${file.path}: the SEC lists it and does not have it`
      : await faultOf(file, accessionNumber);
    if (fault === undefined) files.push({ file, format: secSubmissionText });
    else faults.push(fault);
  }
  if (files.length === 0 && faults.length > 2)
    throw new Problem('bad-input', `none of ${faults.length} filings; the first: ${faults[0]}`);
  for (const fault of faults) note(`left out: ${fault}`);
  return files;
}

/** Why a submission is not the filing that was asked for, or cannot be read; undefined if it is and can. */
async function faultOf(file: SourceFile, accessionNumber: string): Promise<string | undefined> {
  try {
    const header = readHeader(file, (await file.bytes()).toString('latin1'));
    if (header.accessionNumber !== accessionNumber)
      return `${file.path}: the SEC answers with ${header.accessionNumber}`;
    for await (const _ of secSubmissionText.read(file, {}));
    return undefined;
  } catch (error) {
    if (error instanceof Problem && error.kind === 'bad-input') return error.detail;
    throw error;
  }
}
