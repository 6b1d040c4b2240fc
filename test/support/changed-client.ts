import type { Client } from '../../src/client/client.ts';
import type { Envelope, Row } from '../../src/operations/envelope.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { ParamTexts } from '../../src/operations/param.ts';

/** How an answer is changed, whatever the types of its rows. */
type Change = (operation: Operation, answer: () => Promise<Envelope>, texts: ParamTexts) => Promise<Envelope>;

/** The same client, whose answers are changed. */
export function changedClient(client: Client, change: Change): Client {
  return {
    ...client,
    async ask<R extends Row>(operation: Operation<Operation['params'], R>, texts: ParamTexts) {
      const changed = await change(
        operation as unknown as Operation,
        () => client.ask(operation, texts) as Promise<Envelope>,
        texts,
      );
      return changed as Envelope<R>;
    },
  };
}
