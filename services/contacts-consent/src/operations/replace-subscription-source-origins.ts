import { Fault } from '@lettergate/fault'

/** Not offered yet. */
export function replaceSubscriptionSourceOrigins(): Promise<never> {
  return Promise.reject(new Fault('unavailable', 'unimplemented', 'This operation is not offered yet.'))
}
