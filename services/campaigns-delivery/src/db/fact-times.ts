import { p } from '@mikro-orm/core'

/** When each thing was first said of a message, of a run's and of a test's alike: a column for each fact. */
export const factTimes = () => ({
  acceptedAt: p.datetime().nullable(),
  deliveredAt: p.datetime().nullable(),
  softFailedAt: p.datetime().nullable(),
  hardBouncedAt: p.datetime().nullable(),
  providerSuppressedAt: p.datetime().nullable(),
  complainedAt: p.datetime().nullable(),
  openedAt: p.datetime().nullable(),
  clickedAt: p.datetime().nullable(),
  unsubscribedAt: p.datetime().nullable(),
})
