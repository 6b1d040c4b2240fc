export { spreadDrawing } from './curve.ts';
export { observationsDrawing } from './series.ts';
