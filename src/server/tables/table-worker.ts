import { parentPort, workerData } from 'node:worker_threads';
import { type Asker, askOf } from '../../answering/answer.ts';
import { run } from '../../answering/run.ts';
import { type AskOptions, type Client, dataChanged } from '../../client/client.ts';
import { utcDay } from '../../domain/values/date.ts';
import { Problem, type ProblemKind, type ProblemOptions } from '../../errors/problem.ts';
import type { Envelope, Row } from '../../operations/envelope.ts';
import { commandNaming, type Operation, type Usage } from '../../operations/operation.ts';
import type { Params, ParamTexts } from '../../operations/param.ts';
import { clockAt } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import { selectColumns } from '../../render/columns.ts';
import { createRenderer } from '../../render/output.ts';
import { ReturningIterable, renderPages } from '../../render/renderer.ts';
import { createService, type Service, seriesOf } from '../../service/service.ts';
import { openStore } from '../../store/open.ts';
import type { Store, WholeView } from '../../store/store.ts';
import { type Asked, endpoints, readQuestion } from '../endpoints.ts';
import { type Plan, principalOf } from '../keys/plans.ts';

// The program of a thread that makes tables, one after the other.
// Each message asks for the next bytes of a table; the first one has its job.

/** The data of a new thread. */
export type WorkerData = { readonly address: string; readonly billingUrl?: string | undefined };

/** A table to make, as plain data for another thread. */
export type TableJob = Asked & {
  readonly name: string;
  readonly plan: Plan;
  readonly usage?: Usage | undefined;
  readonly requestId: string;
  readonly now: Date;
  /** The state of the data that the whole table must come from. */
  readonly state: string;
};

/** The parts of a Problem; an error loses its class between threads. */
type SentProblem = {
  readonly kind: ProblemKind;
  readonly detail: string;
  readonly options: ProblemOptions;
};

/** A thread's reply: bytes, the cursor at the end, or a failure. */
export type WorkerReply =
  | { readonly chunk: Uint8Array<ArrayBuffer> }
  | { readonly cursor: string | undefined }
  | { readonly failure: SentProblem };

const { address, billingUrl } = workerData as WorkerData;
let store: Promise<Store> | undefined;
let bytes: AsyncGenerator<Uint8Array, string | undefined> | undefined;

parentPort?.on('message', async (job: TableJob | 'next') => {
  try {
    if (job !== 'next') {
      store ??= openStore(address);
      bytes = tableBytes(job, await store);
    }
    const next = await bytes?.next();
    if (next === undefined || next.done === true) return reply({ cursor: next?.value });
    // A copy owns its memory, which can move to the other thread.
    const chunk = new Uint8Array(next.value);
    reply({ chunk }, [chunk.buffer]);
  } catch (error) {
    reply({ failure: sentProblem(error) });
  }
});

function reply(message: WorkerReply, moved: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, moved);
}

function sentProblem(error: unknown): SentProblem {
  const internal = 'an internal error occurred';
  const problem =
    error instanceof Problem ? error : new Problem('internal-error', internal, { cause: error });
  const { kind, headline: detail, ...options } = problem;
  const { stack, message } = problem.cause instanceof Error ? problem.cause : problem;
  return { kind, detail, options: { ...options, cause: stack ?? message } };
}

/**
 * Yields the bytes of a table from one state of the store; returns the next page's cursor after a limit.
 * Throws a `data-changed` Problem if the state is no longer the job's.
 */
async function* tableBytes(job: TableJob, store: Store): AsyncGenerator<Uint8Array, string | undefined> {
  const { view, end } = await oneState(store);
  try {
    const read: Store['read'] = (work) => work(view);
    const service = createService({
      store: { address: store.address, read, close: store.close },
      clock: () => job.now,
      ...defined({ billingUrl }),
    });
    return yield* bytesOf(job, service);
  } finally {
    await end();
  }
}

async function oneState(store: Store): Promise<{ view: WholeView; end: () => Promise<void> }> {
  return new Promise((resolve, reject) => {
    const reading = store.read(
      (view) =>
        new Promise<void>((finish) => {
          const end = (): Promise<void> => {
            finish();
            return reading;
          };
          resolve({ view, end });
        }),
    );
    reading.catch(reject);
  });
}

async function* bytesOf(job: TableJob, service: Service): AsyncGenerator<Uint8Array, string | undefined> {
  const { name, texts, format, plan, now, state } = job;
  const endpoint = endpoints.find((one) => one.name === name);
  if (endpoint === undefined) throw new Error(`there is no endpoint ${name}`);
  const { operation } = endpoint;
  if ((await service.state(operation && seriesOf(operation, texts))) !== state) throw dataChanged();
  const { query, demands } = readQuestion(endpoint, texts, clockAt(now));
  const tooManyRows = (): Problem => {
    const reason = `the answer has more than ${plan.maxRows} rows, the limit of one request: ask for fewer series or dates`;
    return service.refusal(reason, { plan: plan.name });
  };
  const asker: Asker = {
    client: clientOf(job, service, tooManyRows),
    naming: commandNaming,
    // A thread whose table nobody wants is ended.
    signal: new AbortController().signal,
    allow: (rows) => {
      if (rows > plan.maxRows) throw tooManyRows();
    },
  };
  const answer = await run(query, askOf(asker, demands, utcDay(now)));
  const columns = selectColumns(answer.fields, answer.columns);
  const renderer = await createRenderer(format, { columns, header: true, colour: false });
  const chunks = new ReturningIterable(renderPages(renderer, answer.pages));
  for await (const chunk of chunks) yield Buffer.from(chunk);
  return chunks.returned?.cursor;
}

/**
 * Makes a client with the rights of a key, for no more rows than its plan allows.
 * Each question counts as at least a row, and a whole history as one.
 */
function clientOf(
  { plan, usage, requestId }: TableJob,
  service: Service,
  tooManyRows: () => Problem,
): Client {
  const principal = principalOf(plan);
  let rowsLeft = plan.maxRows;
  const ask = async <R extends Row>(
    operation: Operation<Params, R>,
    texts: ParamTexts,
    { whole }: AskOptions = {},
  ): Promise<Envelope<R>> => {
    const request = { operation, texts, principal, requestId, ...defined({ usage, whole }) };
    const { envelope } = await service.reply(request);
    if (envelope === undefined) throw new Error(`${operation.name} was not answered`);
    // A panel has few rows, counted by `allow`, compared to the history that they come from.
    rowsLeft -= whole === true ? 1 : Math.max(1, envelope.results.length);
    if (rowsLeft < 0) throw tooManyRows();
    return envelope;
  };
  return {
    ask,
    // All answers come from one state of the data.
    watch: async () => ({ changed: async () => false, requests: () => 0 }),
    origin: async () => ({ mode: 'embedded', where: '', sample: false }),
    close: async () => undefined,
  };
}
