/** Masters as clients and workers find them: `demo-jindofs-master-0.ml:8101`, separated by commas. */
export const addressList = (masters: readonly string[], namespace: string, port: number): string =>
  masters.map((name) => `${name}.${namespace}:${port}`).join();
