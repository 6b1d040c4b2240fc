import type { HttpReply } from '../../client/remote/exchange.ts';
import type { FormType } from '../../domain/insider/filing.ts';
import { latestDay, utcDay } from '../../domain/values/date.ts';
import { Problem, type ProblemKind } from '../../errors/problem.ts';
import { listed } from '../../errors/wording.ts';
import type { SourceFile } from '../../import/files/source-file.ts';
import { ciksInHeader, readHeader, submissionType } from '../../import/formats/sec/filing-dates.ts';
import { secSubmissionText } from '../../import/formats/sec/ownership.ts';
import type { ImportFile } from '../../import/load/load.ts';
import { divide, document, type MissingItems, type Outstanding, type PullTask, reasonIn } from '../source.ts';

/** Tells whether the SEC says that it has no such file, such as the index of a holiday. */
export function isAbsent({ status, body }: Pick<HttpReply, 'status' | 'body'>): boolean {
  if (status !== 403 && status !== 404) return false;
  return /<Error>\s*<Code>(?:AccessDenied|NoSuchKey)<\/Code>/.test(body.subarray(0, 1024).toString('latin1'));
}

/** A filing to request, with the path of its full submission. */
export type WantedFiling = {
  readonly accessionNumber: string;
  /** `/Archives/edgar/data/935036/0001269847-20-000022.txt` */
  readonly path: string;
  readonly formType: FormType;
};

/** A filing that the SEC lists, but does not give intact. */
export type LeftFiling = WantedFiling & Outstanding;

export function accessionOf({ accessionNumber }: Pick<WantedFiling, 'accessionNumber'>): string {
  return accessionNumber;
}

/** The number of filings in a window, which is one transaction after some seconds of requests. */
const filingsInWindow = 25;

/** Returns the filings that are not stored with their time of acceptance; for `--full` all of them. */
export async function notStored<T extends Pick<WantedFiling, 'accessionNumber'>>(
  wanted: readonly T[],
  { full, read }: Pick<PullTask, 'full' | 'read'>,
): Promise<readonly T[]> {
  if (full || wanted.length === 0) return wanted;
  const stored = (await read((view) => view.filings.accepted(wanted.map(accessionOf)))) ?? new Set();
  return wanted.filter((filing) => !stored.has(accessionOf(filing)));
}

type Submissions = MissingItems<LeftFiling> & { readonly files: readonly ImportFile[] };

/**
 * Requests filings window by window; without filings, yields one window.
 * `rest` are the filings not requested yet, and `remaining` their windows.
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

/** After this number of failures, further filings are tried once; if none is answered, the SEC is down. */
const mostFailed = 3;

/**
 * Requests full submissions, one by one: each has the ownership document, filing date and acceptance time.
 * An absent, damaged or wrong one is left for later runs.
 * Throws if none of several new ones can be read: the form of all has changed.
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

/** Requests a full submission; a failure has the fault of the last answer. */
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

/** Says why an answer is not the requested filing or cannot be read; undefined for a good answer. */
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
