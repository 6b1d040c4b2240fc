import type { ImportFormat } from '../format.ts';
import { eurostatTableFile } from './eurostat.ts';

/** The formats of publishers that speak SDMX. */
export const sdmxFormats: readonly ImportFormat[] = [eurostatTableFile];
