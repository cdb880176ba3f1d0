/** Settings of every Jindo in the controller's environment, beside its images; the names are those of Fluid. */
export const ENGINE_TYPE = 'JINDO_ENGINE_TYPE';
/** A server of names for all pods. */
export const DNS_SERVER = 'JINDO_DNS_SERVER_ENV';
/** Whether the master of a large cache requests memory. */
export const MEMORY_LIMIT = 'USE_DEFAULT_MEM_LIMIT';
/** Whether the size of the data is counted. */
export const QUERY_TOTAL = 'QUERY_UFS_TOTAL';
/** Whether an init container looks for ports that are in use. */
export const PORT_CHECK = 'INIT_PORT_CHECK_ENABLED';

export const switches = [ENGINE_TYPE, DNS_SERVER, MEMORY_LIMIT, QUERY_TOTAL, PORT_CHECK];
