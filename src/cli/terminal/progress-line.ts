import { grouped } from '../../errors/wording.ts';
import { printable } from '../../render/printable.ts';
import { cellWidth, cut } from '../../render/terminal-text.ts';

/** How much work is done; `bytes` are shown as kB, MB or GB. */
export type Share = { readonly done: number; readonly total?: number; readonly unit?: string };

const barWidth = 20;

const enoughToEstimate = 0.02;

/** Formats the progress of work after `elapsed` ms; a narrow terminal loses the bar, then the end of the text. */
export function progressLine(text: string, share: Share | undefined, elapsed: number, width: number): string {
  const measures = share === undefined ? [] : measuresOf(share, elapsed);
  const words = [...measures, text].filter((word) => word !== '').join(', ');
  const shown = printable(words);
  const drawn = share?.total === undefined ? '' : `${bar(share.done, share.total)} `;
  // Amounts with a unit say how far the work is; otherwise the words do.
  const kept = share?.unit === undefined ? shown : measures.join(', ');
  const room = cellWidth(drawn + kept) <= width;
  return cut(room ? drawn + shown : shown, width);
}

function measuresOf({ done, total, unit }: Share, elapsed: number): readonly string[] {
  const rate = elapsed > 0 ? (1000 * done) / elapsed : 0;
  const guessable = total !== undefined && rate > 0 && done < total && done >= total * enoughToEstimate;
  return [
    amountText(done, total, unit),
    ...(unit === undefined || rate === 0 ? [] : [rateText(rate, unit)]),
    ...(guessable ? [`${durationText((total - done) / rate)} left`] : []),
  ];
}

function bar(done: number, total: number): string {
  const filled = total > 0 ? Math.floor((barWidth * Math.min(done, total)) / total) : 0;
  return `[${'#'.repeat(filled).padEnd(barWidth, '.')}]`;
}

function amountText(done: number, total: number | undefined, unit: string | undefined): string {
  const [size, name] = unit === 'bytes' ? byteUnit(total ?? done) : [undefined, unit];
  const textOf = (number: number) => (size === undefined ? grouped(number) : (number / size).toFixed(1));
  const amount = total === undefined ? textOf(done) : `${textOf(done)} of ${textOf(total)}`;
  return name === undefined ? amount : `${amount} ${name}`;
}

function rateText(rate: number, unit: string): string {
  if (unit !== 'bytes') return `${numberText(rate)} ${unit}/s`;
  const [size, name] = byteUnit(rate);
  return `${(rate / size).toFixed(1)} ${name}/s`;
}

function numberText(number: number): string {
  return number < 10 ? String(Number(number.toPrecision(2))) : grouped(Math.round(number));
}

function byteUnit(bytes: number): readonly [size: number, name: string] {
  if (bytes >= 1e9) return [1e9, 'GB'];
  return bytes >= 1e6 ? [1e6, 'MB'] : [1e3, 'kB'];
}

function durationText(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [minutes, hours] = [Math.floor(whole / 60), Math.floor(whole / 3600)];
  if (minutes === 0) return `${whole} s`;
  if (hours === 0) return `${minutes} min ${whole % 60} s`;
  return `${grouped(hours)} h ${minutes % 60} min`;
}
