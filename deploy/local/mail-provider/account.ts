import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { WrittenRecord, Zones } from '../dns/zones.ts'
import { rightRecords } from './domain-records.ts'

export const webhookTypes = [
  'accepted',
  'clicked',
  'complained',
  'delivered',
  'opened',
  'permanent_fail',
  'temporary_fail',
  'unsubscribed',
] as const
export type MailgunWebhookType = (typeof webhookTypes)[number]
export const isWebhookType = (value: unknown): value is MailgunWebhookType =>
  webhookTypes.some((type) => type === value)

export type DomainState = 'active' | 'unverified' | 'disabled'
export type Webhooks = Partial<Record<MailgunWebhookType, readonly string[]>>

export interface Domain {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  state: DomainState
  dkimSelector: string
  /** `custom`: the records of the zone were replaced, and a changed selector does not change them. */
  dns: 'ok' | 'missing' | 'custom'
  webhooks: Webhooks
}

export interface DomainChange {
  state?: DomainState | undefined
  dkimSelector?: string | undefined
  dns?: 'ok' | 'missing' | undefined
  webhooks?: Webhooks | undefined
}

/** The provider's only account: its domains, their webhooks, and the DNS of its customers. */
export interface Account {
  domain(name: string): Domain | undefined
  domains(): Domain[]
  /** Creates or changes a domain; omitted values do not change, and a new domain is active with the right DNS. */
  putDomain(name: string, change: DomainChange): Domain
  /** Deletes a domain, not its DNS. Returns whether it existed. */
  removeDomain(name: string): boolean
  setWebhook(domain: Domain, type: MailgunWebhookType, urls: readonly string[]): void
  /** Replaces the records of a zone, also of one without a domain at the provider. */
  putZone(name: string, records: readonly WrittenRecord[]): void
}

/** With a state file everything is kept after restarts, as at the real provider; otherwise it is in memory. */
export function createAccount(zones: Zones, stateFile?: string): Account {
  const domains = new Map<string, Domain>()
  const custom = new Map<string, readonly WrittenRecord[]>()

  const applyZone = (domain: Domain) => {
    if (domain.dns === 'custom') return
    custom.delete(domain.name)
    zones.replace(domain.name, domain.dns === 'ok' ? rightRecords(domain.name, domain.dkimSelector) : [])
  }
  const save = () => {
    if (stateFile === undefined) return
    writeFileSync(
      `${stateFile}.new`,
      JSON.stringify({ domains: [...domains.values()], zones: Object.fromEntries(custom) }),
    )
    renameSync(`${stateFile}.new`, stateFile)
  }
  const put = (name: string, change: DomainChange) => {
    const known = domains.get(name)
    const domain: Domain = known ?? {
      id: domains.size.toString(16).padStart(24, '6'),
      name,
      createdAt: new Date().toUTCString(),
      state: 'active',
      dkimSelector: 'k1',
      dns: 'ok',
      webhooks: {},
    }
    domain.state = change.state ?? domain.state
    domain.dkimSelector = change.dkimSelector ?? domain.dkimSelector
    domain.dns = change.dns ?? domain.dns
    domain.webhooks = change.webhooks ?? domain.webhooks
    domains.set(name, domain)
    applyZone(domain)
    return domain
  }

  const stored = stateFile === undefined ? undefined : read(stateFile)
  if (stored) {
    for (const domain of stored.domains) {
      domains.set(domain.name, domain)
      applyZone(domain)
    }
    for (const [name, records] of Object.entries(stored.zones)) {
      custom.set(name, records)
      zones.replace(name, records)
    }
  } else {
    for (const [name, change] of Object.entries(knownAtStart)) put(name, change)
    save()
  }

  return {
    domain: (name) => domains.get(name.toLowerCase()),
    domains: () => [...domains.values()],
    putDomain: (name, change) => {
      const domain = put(name.toLowerCase(), change)
      save()
      return domain
    },
    removeDomain: (name) => {
      const known = domains.delete(name.toLowerCase())
      if (known) save()
      return known
    },
    setWebhook: (domain, type, urls) => {
      const { [type]: _replaced, ...others } = domain.webhooks
      domain.webhooks = urls.length === 0 ? others : { ...others, [type]: urls }
      save()
    },
    putZone: (name, records) => {
      zones.replace(name, records)
      const domain = domains.get(name.toLowerCase())
      if (domain) domain.dns = 'custom'
      custom.set(name.toLowerCase(), records)
      save()
    },
  }
}

interface Stored {
  domains: Domain[]
  zones: Record<string, WrittenRecord[]>
}

function read(file: string): Stored | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Stored
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`${file} cannot be read; remove it to start with the domains known at first start`, {
      cause: error,
    })
  }
}

/** Foreign URLs are under .invalid, so that a request to them fails at once. */
const foreign = ['https://crm.invalid/opened', 'https://warehouse.invalid/opened', 'https://dashboard.invalid/opened']

const knownAtStart: Record<string, DomainChange> = {
  'mail.acme.test': {},
  'pending.acme.test': { state: 'unverified', dns: 'missing' },
  'full.acme.test': { webhooks: { opened: foreign } },
  'mail.globex.test': {},
}
