import type { HttpReply } from '../../client/remote/exchange.ts';
import type { FormType } from '../../domain/insider/filing.ts';
import { latestDay, utcDay } from '../../domain/series/date.ts';
import { Problem, type ProblemKind } from '../../errors/problem.ts';
import { listed } from '../../errors/wording.ts';
import type { SourceFile } from '../../import/files/source-file.ts';
import { ciksInHeader, readHeader, submissionType } from '../../import/formats/sec/filing-dates.ts';
import { secSubmissionText } from '../../import/formats/sec/ownership.ts';
import type { ImportFile } from '../../import/load/load.ts';
import { divide, document, type MissingItems, type Outstanding, type PullTask, reasonIn } from '../source.ts';

/** Whether the SEC says that it has no such file, such as the index of a holiday or the list of an unknown CIK. */
export function isAbsent({ status, body }: Pick<HttpReply, 'status' | 'body'>): boolean {
  if (status !== 403 && status !== 404) return false;
  return /<Error>\s*<Code>(?:AccessDenied|NoSuchKey)<\/Code>/.test(body.subarray(0, 1024).toString('latin1'));
}

/** A filing to request, as the SEC lists it, and the path of its full submission. */
export type WantedFiling = {
  readonly accessionNumber: string;
  /** `/Archives/edgar/data/935036/0001269847-20-000022.txt` */
  readonly path: string;
  readonly formType: FormType;
};

/** A filing that the SEC lists and did not give as it should. */
export type LeftFiling = WantedFiling & Outstanding;

/** The accession number of a filing. */
export function accessionOf({ accessionNumber }: Pick<WantedFiling, 'accessionNumber'>): string {
  return accessionNumber;
}

/** The number of filings in a window: a transaction after some seconds of requests. */
const filingsInWindow = 25;

/** The filings that the store does not have with their time of acceptance; all of them for `--full`. */
export async function unheld<T extends Pick<WantedFiling, 'accessionNumber'>>(
  wanted: readonly T[],
  { full, read }: Pick<PullTask, 'full' | 'read'>,
): Promise<readonly T[]> {
  if (full || wanted.length === 0) return wanted;
  const held = (await read((view) => view.filings.accepted(wanted.map(accessionOf)))) ?? new Set();
  return wanted.filter((filing) => !held.has(accessionOf(filing)));
}

type Submissions = MissingItems<LeftFiling> & { readonly files: readonly ImportFile[] };

/**
 * Asks for filings window by window; without any filings, there is one window. `rest` are those that are not asked for
 * yet, and `remaining` the windows that they take.
 */
export async function* submissionWindows<T extends WantedFiling | LeftFiling>(
  wanted: readonly T[],
  task: PullTask,
) {
  let rest = wanted;
  do {
    const asked = rest.slice(0, filingsInWindow);
    rest = rest.slice(filingsInWindow);
    const remaining = Math.ceil(rest.length / filingsInWindow);
    yield { ...(await submissionsOf(asked, task)), asked, rest, remaining };
  } while (rest.length > 0);
}

/** After this number of filings that did not come, further ones are tried once; without any answer, the SEC is down. */
const mostFailed = 3;

/**
 * Asks for full submissions, one request each: it has the ownership document, the filing date and the time of
 * acceptance. One that is absent, damaged or another one is left for later runs. If none of several new ones can be
 * read, the form of all has changed, and they are refused.
 */
async function submissionsOf(
  wanted: readonly (WantedFiling | LeftFiling)[],
  task: Pick<PullTask, 'get' | 'now'>,
): Promise<Submissions> {
  const today = utcDay(task.now);
  const files: ImportFile[] = [];
  const failed: LeftFiling[] = [];
  let [unread, unanswered] = [0, 0];
  for (const filing of wanted) {
    const name = `filing ${filing.accessionNumber}`;
    const answer = await ask(filing, task, failed.length < mostFailed ? undefined : 0);
    if (!('problem' in answer)) {
      files.push({ file: answer, format: secSubmissionText });
      unanswered = 0;
      continue;
    }
    const { problem, fault } = answer;
    const isNew = !('since' in filing);
    unanswered = fault === undefined ? unanswered + 1 : 0;
    if (isNew && fault !== undefined && fault.isAbsent !== true) unread += 1;
    const isCut = problem.kind === 'unreachable';
    const isDown = unanswered >= mostFailed || (isNew && isCut && unanswered === wanted.length);
    if (isDown && (isNew || isCut)) throw problem;
    failed.push({ ...filing, name, since: isNew ? today : filing.since, why: problem.detail });
  }
  if (unread >= mostFailed && unread === wanted.length)
    throw new Problem(
      'bad-input',
      `none of ${unread} filings; the first: ${failed[0]?.name}: ${failed[0]?.why}`,
    );
  return { files, ...divide(failed, today) };
}

type Fault = { readonly why: string; readonly isAbsent?: true };

const ofOneAnswer: ReadonlySet<ProblemKind> = new Set(['bad-answer', 'service-unavailable', 'unreachable']);

/** Asks for a full submission; a failure has the fault of the last answer, if there was one. */
async function ask(
  filing: WantedFiling,
  { get, now }: Pick<PullTask, 'get' | 'now'>,
  retries: number | undefined,
): Promise<SourceFile | { readonly problem: Problem; readonly fault: Fault | undefined }> {
  let fault: Fault | undefined;
  const faultOf = async (reply: HttpReply) => {
    fault = await faultIn(reply, filing, now);
    return fault?.why;
  };
  try {
    const { body } = await get(filing.path, { faultOf, retries });
    return submissionFile(filing, body);
  } catch (problem) {
    if (problem instanceof Problem && ofOneAnswer.has(problem.kind)) return { problem, fault };
    throw problem;
  }
}

function submissionFile({ accessionNumber }: WantedFiling, body: Buffer): SourceFile {
  return document({ name: `${accessionNumber}.txt`, path: `filing ${accessionNumber}` }, body);
}

/** Why an answer is not the filing that was asked for, or cannot be read; undefined if it is and can. */
async function faultIn(reply: HttpReply, filing: WantedFiling, now: Date): Promise<Fault | undefined> {
  const { accessionNumber, formType, path } = filing;
  if (isAbsent(reply)) return { why: 'the SEC lists it and does not have it', isAbsent: true };
  if (reply.body.length === 0) return { why: 'the answer is empty' };
  const file = submissionFile(filing, reply.body);
  const text = reply.body.toString('latin1');
  if (submissionType(text) === undefined) return { why: 'the answer is not a submission' };
  try {
    const { accessionNumber: number, formType: form, filedOn } = readHeader(file, text);
    if (number !== accessionNumber) return { why: `the SEC answers with filing ${number}` };
    if (form !== formType) return { why: `the SEC lists form ${formType} and answers with form ${form}` };
    if (filedOn > latestDay(now)) return { why: `its filing date, ${filedOn}, is in the future` };
    const asked = Number(/\/edgar\/data\/(\d+)\//.exec(path)?.[1]);
    const stated = ciksInHeader(text);
    if (stated.length > 0 && !stated.includes(asked)) {
      const given = listed(stated.map(String), 'and');
      return { why: `the SEC answers with a filing of CIK ${given}, not ${asked}` };
    }
    for await (const _ of secSubmissionText.read(file, {}));
    return undefined;
  } catch (error) {
    if (error instanceof Problem && error.kind === 'bad-input') return { why: reasonIn(error) };
    throw error;
  }
}
