import {
  type Filing,
  impossibilityOf,
  impossibilityText,
  type ReportingOwner,
} from '../../../domain/insider/filing.ts';
import type { Day } from '../../../domain/series/date.ts';

/** As many trades are named in one note; the rest are counted. */
const named = 3;

/** Which trades of a filing stay out of clusters because of what they state, in a line for each reason. */
export function notesOn(filings: readonly Filing[], owners: readonly ReportingOwner[]): readonly string[] {
  const impossible = newImpossibleTrades();
  for (const filing of filings) impossible.see(filing);
  const nameless = owners.filter(({ cik }) => cik === null).map(({ name }) => name);
  if (nameless.length === 0) return impossible.notes();
  const without = `no CIK of ${nameless.join(', ')} is stated: such trades are listed, and stay out of clusters`;
  return [...impossible.notes(), without];
}

/** That a filing's own date stands where `--filed-on` (`given`) says another, as the flag dates only what is not dated. */
export function flagUnused(filedOn: Day, given: Day | undefined): readonly string[] {
  if (given === undefined || given === filedOn) return [];
  return [`filed on ${filedOn}, as the SEC says, and not on ${given} as --filed-on says`];
}

/** Collects the trades that cannot have happened as stated. */
export type ImpossibleTrades = {
  readonly see: (filing: Filing) => void;
  readonly notes: () => readonly string[];
};

/** A collection of none yet; it remembers only what its note says. */
export function newImpossibleTrades(): ImpossibleTrades {
  let count = 0;
  const examples: string[] = [];
  return {
    see(filing) {
      const impossibility = impossibilityOf(filing);
      if (impossibility === undefined) return;
      count += 1;
      if (examples.length < named)
        examples.push(`${filing.filingId} row ${filing.row}, ${impossibilityText(filing, impossibility)}`);
    },
    notes() {
      if (count === 0) return [];
      const trades = count === 1 ? '1 impossible trade is' : `${count} impossible trades are`;
      const more = count > examples.length ? `; and ${count - examples.length} more` : '';
      return [`${trades} kept as stated, and out of clusters: ${examples.join('; ')}${more}`];
    },
  };
}
