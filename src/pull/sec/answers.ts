import type { HttpReply } from '../../client/remote/transport.ts';
import type { FormType } from '../../domain/insider/filing.ts';
import { latestDay } from '../../domain/values/date.ts';
import { Problem, type ProblemKind } from '../../errors/problem.ts';
import { listed } from '../../errors/wording.ts';
import type { ImportFile } from '../../import/formats/format.ts';
import { ciksInHeader, readHeader, submissionType } from '../../import/formats/sec/filing-dates.ts';
import { secSubmissionText } from '../../import/formats/sec/ownership.ts';
import { document, type Outstanding, type PullTask, reasonIn, stillMissing } from '../source.ts';

/** Tells whether the SEC says that it has no such file, such as the index of a holiday. */
export function isAbsent({ status, body }: Pick<HttpReply, 'status' | 'body'>): boolean {
  if (status !== 403 && status !== 404) return false;
  return /<Error>\s*<Code>(?:AccessDenied|NoSuchKey)<\/Code>/.test(body.subarray(0, 1024).toString('latin1'));
}

/** A filing to request, with the path of its full submission. */
type WantedFiling = {
  readonly accessionNumber: string;
  /** `/Archives/edgar/data/935036/0001269847-20-000022.txt` */
  readonly path: string;
  readonly formType: FormType;
};

/** A filing that the SEC lists, but does not give intact. */
export type LeftFiling = WantedFiling & Outstanding;

/** The number of filings in a window, which is one transaction after some seconds of requests. */
const filingsInWindow = 25;

/**
 * Requests filings that are not stored with their time of acceptance (for `--full` all), window by window;
 * yields one window at least. `left` are filings that the SEC has not given intact so far, `done` the numbers of
 * those without trades and those given up, and `next` is the first filing of the next window.
 */
export async function* submissionWindows(wanted: readonly (WantedFiling | LeftFiling)[], task: PullTask) {
  const stored = task.full
    ? undefined
    : await task.read((view) => view.filings.accepted(wanted.map((filing) => filing.accessionNumber)));
  let rest = wanted.filter((filing) => stored?.has(filing.accessionNumber) !== true);
  let left = rest.filter((filing) => 'since' in filing);
  do {
    const asked = rest.slice(0, filingsInWindow);
    rest = rest.slice(filingsInWindow);
    const { files, failed, empty } = await submissionsOf(asked, task);
    const missing = stillMissing(failed, task);
    left = [...left.filter((filing) => !asked.includes(filing)), ...missing];
    const givenUp = failed.filter((filing) => !missing.includes(filing));
    const done = [...empty, ...givenUp.map((filing) => filing.accessionNumber)];
    yield { files, left, done, next: rest[0] };
  } while (rest.length > 0);
}

/** After this number of requests in a row without an answer, the SEC is down. */
const mostFailed = 3;

const ofOneAnswer: ReadonlySet<ProblemKind> = new Set(['bad-answer', 'service-unavailable', 'unreachable']);

const absentFiling = 'the SEC lists it and does not have it';

/**
 * Requests full submissions, one by one: each has the ownership document, filing date and acceptance time.
 * An absent, damaged or wrong one is left for later runs.
 * Throws if none of several new ones can be read: the form of all has changed.
 */
async function submissionsOf(wanted: readonly (WantedFiling | LeftFiling)[], { get, now, today }: PullTask) {
  const files: ImportFile[] = [];
  const failed: LeftFiling[] = [];
  const empty: string[] = [];
  let [unread, unanswered] = [0, 0];
  for (const filing of wanted) {
    const name = `filing ${filing.accessionNumber}`;
    const isNew = !('since' in filing);
    let fault: string | undefined;
    try {
      await get(filing.path, async (reply) => {
        const read = await readSubmission(reply, filing, now);
        fault = typeof read === 'string' ? read : undefined;
        if (typeof read === 'string') return read;
        files.push({ file: read.file, format: secSubmissionText });
        if (read.trades === 0) empty.push(filing.accessionNumber);
        return undefined;
      });
      unanswered = 0;
    } catch (problem) {
      if (!(problem instanceof Problem) || !ofOneAnswer.has(problem.kind)) throw problem;
      unanswered = isNew && fault === undefined ? unanswered + 1 : 0;
      if (unanswered === mostFailed) throw problem;
      if (isNew && fault !== undefined && fault !== absentFiling) unread += 1;
      failed.push({ ...filing, name, since: isNew ? today : filing.since, why: problem.detail });
    }
  }
  const [first] = failed;
  if (unread >= mostFailed && unread === wanted.length)
    throw new Problem('bad-input', `none of ${unread} filings; the first: ${first?.name}: ${first?.why}`);
  return { files, failed, empty };
}

/** Reads a full submission, and counts its trades; returns why it is not the requested filing, or cannot be read. */
async function readSubmission(reply: HttpReply, filing: WantedFiling, now: Date) {
  const { accessionNumber, formType, path } = filing;
  if (isAbsent(reply)) return absentFiling;
  if (reply.body.length === 0) return 'the answer is empty';
  const file = document(`${accessionNumber}.txt`, `filing ${accessionNumber}`, reply.body);
  const text = reply.body.toString('latin1');
  if (submissionType(text) === undefined) return 'the answer is not a submission';
  try {
    const { accessionNumber: number, formType: form, filedOn } = readHeader(file, text);
    if (number !== accessionNumber) return `the SEC answers with filing ${number}`;
    if (form !== formType) return `the SEC lists form ${formType} and answers with form ${form}`;
    if (filedOn > latestDay(now)) return `its filing date, ${filedOn}, is in the future`;
    const asked = Number(/\/edgar\/data\/(\d+)\//.exec(path)?.[1]);
    const stated = ciksInHeader(text);
    if (stated.length > 0 && !stated.includes(asked)) {
      const given = listed(stated.map(String), 'and');
      return `the SEC answers with a filing of CIK ${given}, not ${asked}`;
    }
    let trades = 0;
    for await (const { filings = [] } of secSubmissionText.read(file, {})) trades += filings.length;
    return { file, trades };
  } catch (error) {
    if (error instanceof Problem && error.kind === 'bad-input') return reasonIn(error);
    throw error;
  }
}
