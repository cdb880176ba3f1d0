/** The file that pods read: numbers, a line each, so that every byte follows from its place. */

export const FILE = 'lines';
export const LINES = 2_000_000;
/** A command that writes it. */
export const CONTENT = `seq 100000000 ${100_000_000 + LINES - 1}`;
