import { type Asker, askOf } from '../answering/answer.ts';
import type { Demands } from '../answering/basis.ts';
import type { Query } from '../answering/question.ts';
import { run } from '../answering/run.ts';
import { type AskOptions, type Client, dataChanged } from '../client/client.ts';
import { utcDay } from '../domain/series/date.ts';
import type { Problem } from '../errors/problem.ts';
import type { Envelope, Row } from '../operations/envelope.ts';
import { operations } from '../operations/index.ts';
import type { Operation, Usage } from '../operations/operation.ts';
import type { Params, ParamTexts } from '../operations/param.ts';
import type { NamedValues } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import { operationQuestion } from '../questions/operation-question.ts';
import { questionNamed } from '../questions/table.ts';
import { selectColumns } from '../render/columns.ts';
import { createRenderer } from '../render/output.ts';
import { ReturningIterable, renderPages } from '../render/renderer.ts';
import { createService, type Service, type ServiceOptions } from '../service/service.ts';
import type { Store } from '../store/store.ts';
import type { AnswerFormat } from './answer-format.ts';
import { type Plan, principalOf } from './keys/plans.ts';

/** A query as plain data: its question is called by its name. */
export type QueryData = { readonly name: string; readonly values: NamedValues };

/** A table to make, as plain data that another thread can receive. */
export type TableJob = {
  readonly query: QueryData;
  readonly demands?: Demands | undefined;
  readonly format: AnswerFormat;
  /** The request for one series, if the answer is about only one. */
  readonly about?: { readonly operation: string; readonly texts: ParamTexts } | undefined;
  readonly plan: Plan;
  readonly usage?: Usage | undefined;
  readonly requestId: string;
  readonly now: Date;
  /** The state of the data that the whole table must come from. */
  readonly state: string;
};

/**
 * The bytes of a table while they are made, all from one state of the store, whatever is imported meanwhile; returns
 * the cursor of the next page if a limit cuts the table off. A `data-changed` Problem if the state is no longer that
 * of the job.
 */
export async function* tableBytes(
  job: TableJob,
  { billingUrl, store }: Pick<ServiceOptions, 'billingUrl' | 'store'>,
): AsyncGenerator<Uint8Array, string | undefined> {
  const { view, end } = await oneState(store);
  try {
    const read: Store['read'] = (work) => work(view);
    const { address, close } = store;
    const service = createService({
      store: { address, read, close },
      clock: () => job.now,
      ...(billingUrl !== undefined && { billingUrl }),
    });
    return yield* bytesOf(job, service);
  } finally {
    await end();
  }
}

type OneView = Parameters<Parameters<Store['read']>[0]>[0];

/** A view of the newest state of a store, which stays open until `end`. */
async function oneState(
  store: Store,
): Promise<{ readonly view: OneView; readonly end: () => Promise<void> }> {
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
  const { demands = {}, format, about, plan, now, state } = job;
  const asked = about && { operation: operationNamed(about.operation), texts: about.texts };
  if ((await service.state(asked)) !== state) throw dataChanged();
  const tooManyRows = (): Problem => {
    const reason = `the answer takes more than ${plan.maxRows} rows, the most of one request: ask for fewer series or dates`;
    return service.refusal(reason, { plan: plan.name });
  };
  const asker: Asker = {
    client: clientOf(job, service, tooManyRows),
    // The thread of a table that nobody wants any more is ended.
    signal: new AbortController().signal,
    allow: (rows) => {
      if (rows > plan.maxRows) throw tooManyRows();
    },
  };
  const answer = await run(receivedQuery(job.query), askOf(asker, demands, utcDay(now)));
  const columns = selectColumns(answer.fields, answer.columns);
  const renderer = await createRenderer(format, { columns, header: true, colour: false });
  const chunks = new ReturningIterable(renderPages(renderer, answer.pages));
  for await (const chunk of chunks) yield Buffer.from(chunk);
  return chunks.returned?.cursor;
}

function operationNamed(name: string): Operation {
  const operation = operations.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`there is no operation ${name}`);
  return operation;
}

function receivedQuery(sent: QueryData): Query {
  const question = questionNamed(sent.name) ?? operationQuestion(operationNamed(sent.name), operations);
  return { question, values: sent.values };
}

/**
 * A client with the rights of the key, for no more rows than its plan allows; each question counts as at least a row,
 * and a whole history as one.
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
    // The rows of a panel, which `allow` counts, are few beside the history that they are found in.
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
