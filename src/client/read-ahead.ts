import type { Envelope, Row } from '../operations/envelope.ts';
import type { Operation } from '../operations/operation.ts';
import type { Params, ParamTexts } from '../operations/param.ts';

const partSize = 12;

type AskTogether = (questions: readonly ParamTexts[]) => readonly Promise<Envelope>[];

/** Reads the answers to expected questions a part at a time; the next part is read when half of a part is taken. */
export class ReadAhead {
  readonly #askTogether: AskTogether;
  readonly #operation: Operation;
  readonly #questions: readonly ParamTexts[];
  readonly #places: ReadonlyMap<string, number>;
  readonly #answers = new Map<number, Promise<Envelope>>();
  #read = 0;

  constructor(askTogether: AskTogether, operation: Operation, questions: readonly ParamTexts[]) {
    this.#askTogether = askTogether;
    this.#operation = operation;
    this.#questions = questions;
    this.#places = new Map(questions.map((texts, i) => [JSON.stringify(texts), i]));
  }

  take<R extends Row>(operation: Operation<Params, R>, texts: ParamTexts): Promise<Envelope<R>> | undefined {
    if (operation.name !== this.#operation.name) return undefined;
    const place = this.#places.get(JSON.stringify(texts));
    if (place === undefined) return undefined;
    while (this.#read < this.#questions.length && this.#read <= place + partSize / 2) this.#readPart();
    const answer = this.#answers.get(place);
    this.#answers.delete(place);
    // The answer of the same operation.
    return answer as Promise<Envelope<R>> | undefined;
  }

  #readPart(): void {
    const first = this.#read;
    const part = this.#questions.slice(first, first + partSize);
    this.#read += part.length;
    for (const [i, answer] of this.#askTogether(part).entries()) {
      // Whoever takes the answer gets its failure.
      answer.catch(() => undefined);
      this.#answers.set(first + i, answer);
    }
  }
}
