/**
 * Every sentence of the public preference page in one language. The caller escapes the names that it passes. The sentences
 * themselves need no escaping in HTML.
 */
export interface Words {
  /** as its speakers write it */
  nameOfLanguage: string
  direction: 'ltr' | 'rtl'
  askAudienceHeading: (audience: string) => string
  askAudience: (workspace: string, audience: string) => string
  askAllHeading: (workspace: string) => string
  askAll: (workspace: string) => string
  address: string
  whatStops: string
  unsubscribe: string
  older: string
  stopAllHeading: string
  stopAllToo: (workspace: string) => string
  stopAll: (workspace: string) => string
  doneHeading: string
  doneAudience: (workspace: string, audience: string) => string
  doneAll: (workspace: string) => string
  mistake: string
  endedHeading: string
  ended: (workspace: string) => string
  nobodyHeading: string
  nobody: (workspace: string) => string
  subscriptionsHeading: (workspace: string) => string
  choose: string
  keep: string
  leave: string
  confirm: string
  savedHeading: string
  /** followed by a list of what was left */
  saved: (workspace: string) => string
  nothingLeft: string
  language: string
  invalidHeading: string
  invalid: string
  /** where the sender cannot be named: nothing is known about the link */
  senderInEmail: string
  busyHeading: string
  busy: string
  downHeading: string
  down: string
  /** followed by the correlation id */
  reference: string
}
