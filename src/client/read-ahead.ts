import type { Envelope, Row } from '../operations/envelope.ts';
import type { Operation } from '../operations/operation.ts';
import type { Params, ParamTexts } from '../operations/param.ts';
import type { ExpectedAnswers } from './client.ts';

/** Questions that are read together. */
const partSize = 16;

/** Answers several questions at once. */
type AskTogether = (questions: readonly ParamTexts[]) => readonly Promise<Envelope>[];

/** The questions that are expected next, read a part at a time: in the middle of one part the next is read. */
export class ReadAhead implements ExpectedAnswers {
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
      // Its failure is for the one who takes it.
      answer.catch(() => undefined);
      this.#answers.set(first + i, answer);
    }
  }
}
