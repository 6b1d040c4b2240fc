import type { Client } from '../../src/client/client.ts';
import type { Envelope, Row } from '../../src/operations/envelope.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { ParamTexts } from '../../src/operations/param.ts';

/** A client without a store; the test supplies its answers. */
export function madeUpClient(answer: (operation: Operation, texts: ParamTexts) => Promise<Envelope>): Client {
  return {
    async ask<R extends Row>(operation: Operation<Operation['params'], R>, texts: ParamTexts) {
      return (await answer(operation as unknown as Operation, texts)) as Envelope<R>;
    },
    watch: async () => ({ changed: async () => false, requests: () => 1 }),
    origin: async () => ({ mode: 'embedded', where: '', sample: false }),
    close: async () => undefined,
  };
}

/** An envelope of an operation around rows. */
export function answerWith({ object }: Operation, results: readonly Row[]): Envelope {
  return { object, request_id: '', status: 'ok', results, results_count: results.length, has_more: false };
}

/** The parameters of a query such as `id=GDP&limit=5`. */
export function textsOf(query: string): ParamTexts {
  return [...new URLSearchParams(query)];
}
