import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { type Day, dayNumber } from '../../domain/values/date.ts';
import { DataTable } from '../controls/data-table.ts';
import { type AskedParams, cell, type PageContext, type ServedRow, useAnswer } from '../page-service.ts';

const tradeFields = {
  Traded: 'transaction_date',
  Filed: 'filing_date',
  Insider: 'owner_name',
  Shares: 'shares',
  Price: 'price_per_share',
  Verdict: 'verdict',
  Reason: 'reason',
};

const heads = [...Object.keys(tradeFields), 'Filing'];

const words = heads.filter((head) => head !== 'Shares' && head !== 'Price');

type ClusterTradesProps = {
  readonly context: PageContext;
  readonly asked: AskedParams;
  readonly row: ServedRow;
  /** Tells whether a trade is near the cluster. */
  readonly isOf: (trade: ServedRow) => boolean;
};

/** Requests the trades of a cluster and those near it, and shows them over time and as a table. */
export function ClusterTrades({ context, asked, row, isOf }: ClusterTradesProps): VNode {
  const ask = async () => {
    const last = cell(row, 'date_last');
    const { min_insiders, days, as_of } = asked;
    const params = { min_insiders, days, as_of, ticker: cell(row, 'ticker'), from: last, to: last };
    return (await context.service.rows('insider/clusters/explanations', params)).filter(isOf);
  };
  const { value: trades = [] } = useAnswer('trades', ask, context.fail) ?? {};
  const cellsOf = (i: number) => [
    ...Object.values(tradeFields).map((name) => cell(trades[i], name)),
    { text: 'SEC', href: filingAddress(trades[i]) },
  ];
  return html`
    <div class="trades">
      ${trades.length > 0 && html`<${Timeline} trades=${trades} detected=${cell(row, 'detected_on')} />`}
      <${DataTable} caption="The trades of the cluster and those near it, by trade date" heads=${heads} words=${words}
        rows=${trades.length} cellsOf=${cellsOf} />
    </div>`;
}

/** Returns the address of a filing at the SEC. */
function filingAddress(trade: ServedRow | undefined): string {
  const [cik, number] = [Number(cell(trade, 'issuer_cik')), cell(trade, 'accession_number')];
  return `https://www.sec.gov/Archives/edgar/data/${cik}/${number.replaceAll('-', '')}/${number}-index.htm`;
}

const [width, lane, left] = [720, 20, 190];

/** Shows who traded when, and how many days later the filing was public. */
function Timeline({
  trades,
  detected,
}: {
  readonly trades: readonly ServedRow[];
  readonly detected: Day;
}): VNode {
  const owners = [...new Set(trades.map((trade) => cell(trade, 'owner_name')))];
  const days = trades
    .flatMap((trade) => [cell(trade, 'transaction_date'), cell(trade, 'filing_date')])
    .sort();
  const [first, last] = [dayNumber(days[0] ?? ''), dayNumber(days.at(-1) ?? '')];
  const x = (day: Day) => left + ((width - left - 16) * (dayNumber(day) - first)) / Math.max(1, last - first);
  const height = owners.length * lane + 28;
  return html`
    <svg class="timeline" viewBox="0 0 ${width} ${height}" role="img"
      aria-label="Trades from ${days[0]}, the last filing on ${days.at(-1)}; public as a cluster on ${detected}">
      ${
        detected !== '' &&
        html`<line class="detected" x1=${x(detected)} x2=${x(detected)} y1="4" y2=${height - 20} />`
      }
      ${owners.map((owner, i) => html`<text x="0" y=${i * lane + 18}>${owner.length > 28 ? `${owner.slice(0, 27)}…` : owner}</text>`)}
      ${trades.map((trade) => {
        const y = owners.indexOf(cell(trade, 'owner_name')) * lane + 14;
        const [traded, filed] = [x(cell(trade, 'transaction_date')), x(cell(trade, 'filing_date'))];
        return html`
          <g class=${cell(trade, 'verdict') === 'counted' ? 'counted' : 'other'}>
            <line x1=${traded} x2=${filed} y1=${y} y2=${y} />
            <circle cx=${traded} cy=${y} r="5" />
            <rect x=${filed - 2} y=${y - 5} width="4" height="10" />
          </g>`;
      })}
      <text x=${left} y=${height - 4}>${days[0]}</text>
      <text x=${width - 8} y=${height - 4} text-anchor="end">${days.at(-1)}</text>
    </svg>
    <p class="note">A dot is a trade, a bar its filing; the dashed line is ${detected === '' ? 'missing' : detected}, when the cluster became public.</p>`;
}
