import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agreeing, contradicting, onePerKey, runs } from '../support/arbitrary.ts';
import {
  asAlfredWide,
  asAsofCsv,
  asClippedFredApi,
  asDatedPanel,
  asFredApi,
  asFredCsv,
  type Encoded,
} from '../support/encodings.ts';
import { onEveryEngine } from '../support/engines.ts';
import {
  type Contradiction,
  emptyModel,
  expectKnowledge,
  importInto,
  type ModelStatement,
} from '../support/knowledge.ts';
import { failureOf, importFiles } from '../support/scratch-store.ts';

onEveryEngine((engine) => {
  const encodings = [asAsofCsv, asAlfredWide, asFredCsv, asDatedPanel, asFredApi, asClippedFredApi];

  /** Divides statements into pieces, writes each piece as files of one format, and divides the files into imports. */
  const history = fc
    .record({
      statements: agreeing,
      formats: fc.array(fc.constantFrom(...encodings), { minLength: 1, maxLength: 6 }),
      order: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
      joined: fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
      bufferSize: fc.constantFrom(1, 7, 1000),
    })
    .map(({ statements, formats, order, joined, bufferSize }) => {
      const pieces = formats.map((encode, piece) => {
        const own = statements.filter((item) => item.piece % formats.length === piece);
        return { encode, said: onePerKey(own.map(({ said }) => said)) };
      });
      const encoded = pieces.flatMap(({ encode, said }) => (said.length === 0 ? [] : encode(said)));
      return {
        said: pieces.flatMap(({ said }) => said),
        imports: joinedUp(shuffled(encoded, order), joined),
        bufferSize,
      };
    });

  function shuffled<T>(items: readonly T[], order: readonly number[]): readonly T[] {
    return items
      .map((item, i) => ({ item, at: order[i] ?? i }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  }

  /** Combines neighbours without flags into one import where `joined` is true. */
  function joinedUp(encoded: readonly Encoded[], joined: readonly boolean[]): readonly Encoded[] {
    const imports: Encoded[] = [];
    for (const [i, next] of encoded.entries()) {
      const files = Object.fromEntries(
        Object.entries(next.files).map(([name, text]) => [`${i}/${name}`, text]),
      );
      const last = imports.at(-1);
      const isPlain = [last, next].every((one) => one !== undefined && Object.keys(one.flags).length === 0);
      if (last !== undefined && isPlain && joined[i] === true) {
        imports[imports.length - 1] = { files: { ...last.files, ...files }, flags: {} };
      } else imports.push({ files, flags: next.flags });
    }
    return imports;
  }

  describe('a store of random statements, in random order, formats and imports,', () => {
    test('answers for every date and as-of date as the list of statements does', async () => {
      await fc.assert(
        fc.asyncProperty(history, async ({ said, imports, bufferSize }) => {
          const path = engine.newAddress();
          for (const { files, flags } of imports)
            await importFiles(path, files, { merge: true, bufferSize, projections: true, ...flags });
          await expectKnowledge(path, importInto(emptyModel, said).after);
        }),
        { numRuns: runs(20, engine) },
      );
    });
  });

  const csvOf = (said: readonly ModelStatement[]) => asAsofCsv(said)[0]?.files['facts.csv'] ?? '';
  const textOf = ({ said: { series, date, asOf, value }, held }: Contradiction) =>
    `${series} ${date} as of ${asOf}: ${value ?? 'withdrawn'}, against ${held ?? 'withdrawn'}`;

  describe('two statements about one series, date and vintage with different numbers', () => {
    test('make the second import fail with every conflict, until --replace resolves them in its favour', async () => {
      await fc.assert(
        fc.asyncProperty(contradicting, fc.constantFrom(1, 1000), async (imports, bufferSize) => {
          const path = engine.newAddress();
          let known = emptyModel;
          for (const items of imports) {
            const files = [0, 1].map((file) =>
              items.filter((one) => one.file === file).map(({ said }) => said),
            );
            const contents = files.flatMap((said, file) =>
              said.length === 0 ? [] : [[`${file}.csv`, csvOf(said)] as const],
            );
            const { after, contradictions } = importInto(known, files.flat());
            const before = await engine.digest(path);
            const options = { bufferSize, projections: true };
            const importing = importFiles(path, Object.fromEntries(contents), options);
            if (contradictions.length === 0) {
              await importing;
              known = after;
              continue;
            }
            const [first = '', ...listed] = (await failureOf(importing)).split('\n');
            expect(first).toMatch(contradictions.length === 1 ? /^1 conflict; / : /^\d+ conflicts; /);
            expect(first).toMatch(/nothing was imported:$/);
            expect(listed.map((line) => line.replace(/^.*\d\.csv: /, '')).sort()).toEqual(
              contradictions.map(textOf).sort(),
            );
            expect(await engine.digest(path)).toEqual(before);
            const once = onePerKey(files.flat());
            known = importInto(known, once, { replace: true }).after;
            await importFiles(path, { '0.csv': csvOf(once) }, { ...options, replace: true });
          }
          await expectKnowledge(path, known);
        }),
        { numRuns: runs(20, engine) },
      );
    });
  });
});
