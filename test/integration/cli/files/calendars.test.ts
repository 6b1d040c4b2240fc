import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { transcript } from '../../../support/command.ts';
import { newFolder } from '../../../support/folders.ts';
import { testData } from '../../../support/repository.ts';

const folder = newFolder();
const at = folder.path('.');
const made = (name: string) => readFileSync(join(testData, 'calendar', name), 'utf8');
const names = ['bls-2025-10-01.ics', 'bls-2026-01-02.ics', 'release_dates.json', 'bea-excerpt.ics'];
for (const name of names) folder.write(name, made(name));
folder.write('page.ics', '<!DOCTYPE html>\n<html><head><title>Access Denied</title></head></html>\n');
folder.write('other-2025-10-01.ics', made('bls-2025-10-01.ics').replace('20251003', '20251017'));
const jobs = '--release "employment situation" --columns date,time,status,since --from 2025-10-01';

describe('calendars', () => {
  transcript(
    `
    # of two days are kept, so that a plan that vanished stays known as of a day before
    $ asof import ${at}/bls-2025-10-01.ics ${at}/bls-2026-01-02.ics
    ! …bls-2025-10-01.ics: ics, 7 release dates, a new look
    ! …bls-2026-01-02.ics: ics, 10 release dates, a new look
    ! 2 files: 17 new statements, 0 known
    ! made a new store: ${at}/store.db
    $ asof import ${at}/bls-2025-10-01.ics
    ! …bls-2025-10-01.ics: ics, 7 release dates, known
    ! store: ${at}/store.db
    $ asof calendar --as-of 2025-10-02 ${jobs} --to 2025-10-31 -q
    date,time,status,since
    2025-10-03,08:30,planned,2025-10-01
    $ asof calendar --as-of 2026-01-02 ${jobs} --to 2025-12-31 -q
    date,time,status,since
    2025-10-03,08:30,vanished,2026-01-02
    2025-11-07,08:30,vanished,2026-01-02
    2025-11-20,08:30,passed,2026-01-02
    2025-12-05,08:30,vanished,2026-01-02
    2025-12-16,08:30,passed,2026-01-02

    # of one day and two texts are a conflict, which an undo of --replace takes back
    $ asof import ${at}/other-2025-10-01.ics
    ! asof: 1 conflict; nothing was imported:
    ! …: another calendar of BLS is stored as seen on 2025-10-01: 2025-10-03 08:30 America/New_York Employment Situation is missing; 2025-10-17 …
    !       --replace accepts the new ones
    [exit 2]
    $ asof import ${at}/other-2025-10-01.ics --replace -q
    $ asof calendar --as-of 2025-10-02 ${jobs} --to 2025-10-31 --no-header -q
    2025-10-17,08:30,planned,2025-10-01
    $ asof store undo --yes
    ! asof: undid import …: 1 look at a calendar of ${at}/store.db
    $ asof calendar --as-of 2025-10-02 ${jobs} --to 2025-10-31 --no-header -q
    2025-10-03,08:30,planned,2025-10-01

    # need the day of their download
    $ asof import ${at}/bea-excerpt.ics --store ${at}/bea.db
    ! asof: …bea-excerpt.ics: a calendar shows what was planned on the day of its download, which the file does not state; pass --as-of
    !       asof import FILE --as-of YYYY-MM-DD
    !       or put the day into its name, such as bls-2025-10-01.ics
    [exit 2]

    # are copied with their store
    $ asof store copy ${at}/store.db ${at}/copy.db --yes
    ! asof: ${at}/copy.db holds 0 series, 0 facts, 0 rates, 0 trades, 3 entries of the log, 2 looks at calendars
    …
    `,
    () => ({ env: { ASOF_STORE: `${at}/store.db` } }),
  );
});

describe('a file in the place of a calendar', () => {
  transcript(
    `
    # that is a web page is refused, with the addresses of the calendars
    $ asof import ${at}/page.ics
    ! asof: …page.ics: this looks like a web page, perhaps an error or login page saved instead of the file; download it again
    !       the calendar of the BLS is at https://www.bls.gov/schedule/news_release/bls.ics, which refuses many programs: a browser gets it
    !       that of the BEA is at https://www.bea.gov/news/schedule/ics/online-calendar-subscription.ics
    [exit 2]

    # that is an answer of asof is refused in every format
    $ asof import ${at}/bls-2025-10-01.ics -q
    $ asof calendar --from 2025-01-01 -o ${at}/answer.csv -q
    $ asof import ${at}/answer.csv
    ! asof: …answer.csv: this looks like output of asof without looks at calendars; import the calendars themselves
    [exit 2]
    $ asof calendar --from 2025-01-01 -o ${at}/answer.ndjson -q
    $ asof import ${at}/answer.ndjson
    ! asof: …answer.ndjson: this looks like output of asof without looks at calendars; import the calendars themselves
    [exit 2]
    $ asof calendar --from 2025-01-01 -o ${at}/answer.json -q
    $ asof import ${at}/answer.json
    ! asof: …answer.json: this looks like output of asof without looks at calendars; import the calendars themselves
    [exit 2]
    $ asof calendar --from 2025-01-01 -o ${at}/answer.tsv -q
    $ asof import ${at}/answer.tsv
    ! asof: …answer.tsv: this looks like output of asof without looks at calendars; import the calendars themselves
    [exit 2]
    $ asof calendar --from 2025-01-01 -o ${at}/answer.parquet -q
    $ asof import ${at}/answer.parquet
    ! asof: …answer.parquet: this looks like output of asof without looks at calendars; import the calendars themselves
    [exit 2]
    `,
    () => ({ env: { ASOF_STORE: `${at}/pages.db` } }),
  );
});

describe('the dates of the BEA', () => {
  transcript(
    `
    # have 13 releases of personal income in 2026
    $ asof import ${at}/release_dates.json --store ${at}/bea.db -q
    $ asof calendar --store ${at}/bea.db --release bea:personal-income-and-outlays --from 2026-01-01 --to 2026-12-31 --as-of 2026-05-13 --columns date,time,status --no-header -q
    2026-01-22,10:00,passed
    2026-02-20,08:30,passed
    2026-03-13,08:30,passed
    2026-04-09,08:30,passed
    2026-04-30,08:30,passed
    2026-05-28,08:30,planned
    2026-06-25,08:30,planned
    2026-07-30,08:30,planned
    2026-08-26,08:30,planned
    2026-09-30,08:30,planned
    2026-10-29,08:30,planned
    2026-11-25,08:30,planned
    2026-12-23,08:30,planned
    `,
    () => ({ now: '2026-05-14T12:00:00Z' }),
  );
});
