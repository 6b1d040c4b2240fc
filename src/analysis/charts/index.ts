export { spreadDrawing } from './curve.ts';
export { observationsDrawing } from './observations.ts';
