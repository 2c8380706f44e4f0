export { type AccessFile, type AccessStore, openAccess } from "./access.ts";
export {
  copyDatabase,
  type DatabaseContent,
  type DatabaseName,
  DATABASES,
  endSignIns,
  inspectDatabase,
  isMarketOfCluster,
  leaveCluster,
} from "./backup.ts";
export {
  CLUSTER_ID,
  LOG_FINGERPRINT,
  LOG_NUMBER,
  type MarketStore,
  nextFingerprint,
  openMarket,
  removeMarket,
} from "./market.ts";
export { isForbidden, isInUse, toUserError, withUserErrors } from "./database.ts";
export { type FileLock, isLocked, lockFile } from "./file-lock.ts";
export { LockQueue, withLockQueue } from "./lock-queue.ts";
