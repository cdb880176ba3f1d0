/** Where the script of an operation reports its progress with `PROGRESS_SH`: the `progressFile` of its `OperationJob`. */
export const PROGRESS_FILE = '/tmp/progress';

/**
 * Shell text that defines `write_progress`, which replaces the progress file. Its arguments are the lines `name=value`.
 * @example
 * const script = `set -e
 * ${PROGRESS_SH}
 * write_progress 'Progress=step 1 of 2' "Step=listing $1"
 * `;
 */
export const PROGRESS_SH = `write_progress() { printf '%s\\n' "$@" > ${PROGRESS_FILE}.new && mv ${PROGRESS_FILE}.new ${PROGRESS_FILE}; }`;
