/** One DNS record that the customer must publish for the provider. */
export interface ProviderRecord {
  /** lower case, absolute, without the final dot */
  readonly name: string
  readonly type: string
  readonly value: string
  /** the provider's own view: valid, invalid or unknown */
  readonly valid: string
}

/** The fields of a provider domain that this service uses. */
export interface ProviderDomain {
  /** the provider's id of the domain */
  readonly reference: string | null
  readonly name: string
  /** active, unverified or disabled */
  readonly state: string
  readonly records: readonly ProviderRecord[]
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
