import { once } from 'node:events';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type Asker, askOf } from '../../answering/answer.ts';
import { run } from '../../answering/run.ts';
import { type AskOptions, dataChanged } from '../../client/client.ts';
import { embeddedClient } from '../../client/open.ts';
import { utcDay } from '../../domain/values/date.ts';
import { Problem, type ProblemKind, type ProblemOptions } from '../../errors/problem.ts';
import { answerQuery } from '../../library/json-lines.ts';
import type { Envelope, Row } from '../../operations/envelope.ts';
import { commandNaming, type Operation, type Usage } from '../../operations/operation.ts';
import type { Params, ParamTexts } from '../../operations/param.ts';
import { clockAt } from '../../operations/value.ts';
import { defined } from '../../platform/defined.ts';
import { selectColumns } from '../../render/columns.ts';
import { createRenderer } from '../../render/output.ts';
import { pagesFor, ReturningIterable, renderPages } from '../../render/renderer.ts';
import { createService, stateSubject } from '../../service/service.ts';
import { openStore } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';
import { type Asked, endpoints, readQuestion } from '../endpoints.ts';
import { type Plan, principalOf } from '../keys/plans.ts';

// The program of a thread that makes tables, one after the other.
// Each message asks for the next bytes of a table; the first one has its job.

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

async function makeTables(port: MessagePort): Promise<never> {
  const send = (message: WorkerReply, moved: readonly ArrayBuffer[] = []) => port.postMessage(message, moved);
  let store: Store | undefined;
  for (;;) {
    const job: TableJob = (await once(port, 'message'))[0];
    try {
      store ??= await openStore(address);
      // All of a table comes from one state.
      const cursor = await store.read(async (view) => {
        const table = tableOf(job, { address, read: (work) => work(view), close: async () => undefined });
        for (;;) {
          const next = await table.next();
          if (next.done === true) return next.value;
          // A copy owns its memory, which can move to the other thread.
          const chunk = new Uint8Array(next.value);
          send({ chunk }, [chunk.buffer]);
          await once(port, 'message');
        }
      });
      send({ cursor });
    } catch (error) {
      send({ failure: sentProblem(error) });
    }
  }
}

if (parentPort !== null) void makeTables(parentPort);

function sentProblem(error: unknown): SentProblem {
  const internal = 'an internal error occurred';
  const problem =
    error instanceof Problem ? error : new Problem('internal-error', internal, { cause: error });
  const { kind, headline: detail, ...options } = problem;
  const { stack, message } = problem.cause instanceof Error ? problem.cause : problem;
  return { kind, detail, options: { ...options, cause: stack ?? message } };
}

/**
 * Yields the bytes of a table, and returns the next page's cursor after a limit.
 * Reads with the rights of a key, and no more rows than its plan allows: an answer counts as at least a row, and a
 * history is one. Throws a `data-changed` Problem if the state is no longer the job's.
 */
async function* tableOf(job: TableJob, store: Store): AsyncGenerator<Uint8Array, string | undefined> {
  const { name, texts, format, plan, usage, requestId, now, state } = job;
  const clock = () => now;
  const service = createService({ store, clock, ...defined({ billingUrl }) });
  const endpoint = endpoints.find((one) => one.name === name);
  if (endpoint === undefined) throw new Error(`there is no endpoint ${name}`);
  const { operation } = endpoint;
  if ((await service.state(operation && stateSubject(operation, texts))) !== state) throw dataChanged();
  const { query, demands } = readQuestion(endpoint, job, clockAt(now));
  const check = (rows: number): void => {
    if (rows <= plan.maxRows) return;
    const reason = `the answer has more than ${plan.maxRows} rows, the limit of one request: ask for fewer series or dates`;
    throw service.refusal(reason, { plan: plan.name });
  };
  let rows = 0;
  const ask = async <R extends Row>(
    operation: Operation<Params, R>,
    texts: ParamTexts,
    asked?: AskOptions,
  ): Promise<Envelope<R>> => {
    const request = { operation, texts, principal: principalOf(plan), requestId, rows: asked?.rows };
    const { envelope } = await service.reply({ ...request, ...defined({ usage }) });
    if (envelope === undefined) throw new Error(`${operation.name} was not answered`);
    // A panel has few rows, counted by `allow`, compared to the history that they come from.
    rows += Math.max(1, envelope.results.length);
    check(rows);
    return envelope;
  };
  const { followed: _, aliases: __, sample: ___, ...client } = embeddedClient(store, clock);
  // A thread whose table nobody wants is ended.
  const { signal } = new AbortController();
  const source = { client: { ...client, ask }, signal, allow: check };
  if (format === 'answer') {
    yield Buffer.from(JSON.stringify(await answerQuery(query, demands, { ...source, clock })));
    return undefined;
  }
  const asker: Asker = { ...source, naming: commandNaming };
  const answer = await run(query, askOf(asker, demands, utcDay(now)));
  const columns = selectColumns(answer.fields, answer.columns);
  const renderer = await createRenderer(format, { columns, header: true, colour: false });
  const chunks = new ReturningIterable(renderPages(renderer, pagesFor(renderer, answer)));
  for await (const chunk of chunks) yield Buffer.from(chunk);
  return chunks.returned?.cursor;
}
