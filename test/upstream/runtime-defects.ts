/** A defect of Fluid, and what is decided about it. */
export interface Decision {
  /** Fluid's behaviour. */
  readonly fluid: string;
  readonly decided: string;
  /** A file below test/, and text in it: the title of the test that shows it. */
  readonly shown: readonly [file: string, title: string];
}
