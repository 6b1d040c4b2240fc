import type { Envelope, Row } from '../operations/envelope.ts';
import type { Operation } from '../operations/operation.ts';
import type { Params, ParamTexts } from '../operations/param.ts';
import { createService, owner } from '../service/service.ts';
import { sampleName, shownAddress } from '../store/address.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import type { AskOptions, Client } from './client.ts';

/** Opens the client of a store by its address; throws a Problem if that fails. */
export async function openEmbedded(address: string, clock?: () => Date): Promise<Client> {
  return embeddedClient(await openStore(address), clock);
}

/** Makes a client of a store in this process, with the owner's rights: who can read the file can read all. */
export function embeddedClient(store: Store, clock?: () => Date): Client {
  const state = () => store.read((view) => view.state());
  const service = createService({ store, ...(clock && { clock }) });
  return {
    ask: (operation, texts, asked) =>
      asked?.expected?.take(operation, texts) ?? service.answer(operation, texts, owner, asked?.rows),
    expect: async (operation, questions) =>
      readAhead(
        (part) => service.answerTogether(operation, part, owner),
        operation,
        questions,
        store.seriesTogether,
        // Where this process reads, what is read early only takes memory.
        store.readTogether === undefined ? 0 : store.seriesTogether,
      ),
    async watch() {
      const before = await state();
      const changed = async () => {
        const after = await state();
        // To name a state is to hash, for which Node loads 3 ms of modules.
        return after !== before && after.name !== before.name;
      };
      return { changed, requests: () => 0 };
    },
    async origin() {
      return store.read(async (view) => {
        const { sample } = await view.state();
        return {
          mode: 'embedded',
          where: shownAddress(store.address),
          sample,
          imports: await view.sources.imports(),
        };
      });
    },
    followed: () => service.followed(),
    aliases: () => store.read((view) => view.aliases.all()),
    async sample() {
      const { sample } = await store.read((view) => view.state());
      return sample ? undefined : openEmbedded(sampleName, clock).catch(() => undefined);
    },
    close: () => store.close(),
  };
}

/** The series of a part, if a store has no preference. */
const usualPart = 12;

/** Reads the answers to expected questions a part at a time, when one of the `ahead` questions before it is taken. */
export function readAhead(
  askTogether: (questions: readonly ParamTexts[]) => readonly Promise<Envelope>[],
  { name }: Pick<Operation, 'name'>,
  questions: readonly ParamTexts[],
  partSize = usualPart,
  ahead = partSize,
): NonNullable<AskOptions['expected']> {
  const places = new Map(questions.map((texts, i) => [JSON.stringify(texts), i]));
  const answers = new Map<number, Promise<Envelope>>();
  let read = 0;
  const readPart = () => {
    for (const answer of askTogether(questions.slice(read, read + partSize))) {
      // The failure belongs to the caller who takes the answer.
      answer.catch(() => undefined);
      answers.set(read, answer);
      read += 1;
    }
  };
  return {
    take<R extends Row>(operation: Operation<Params, R>, texts: ParamTexts) {
      const place = places.get(JSON.stringify(texts));
      if (operation.name !== name || place === undefined) return undefined;
      while (read < questions.length && read <= place + ahead) readPart();
      const answer = answers.get(place);
      answers.delete(place);
      // The answer is of the same operation.
      return answer as Promise<Envelope<R>> | undefined;
    },
  };
}
