/** Port of the page in the cluster. */
export const UI_PORT = 8000;
