/** The platform gates. A gate is open only when its stored row and its environment ceiling, if it has one, are open. */
export const gateNames = [
  'rate_limit_enabled',
  'automation_enabled',
  'production_sending_enabled',
  'test_sends_enabled',
  'synthetic_rehearsals_enabled',
] as const
export type GateName = (typeof gateNames)[number]

/** null: the gate has no ceiling */
export type Ceilings = Readonly<Record<GateName, boolean | null>>

export const isGateName = (name: string): name is GateName => gateNames.some((known) => known === name)

export const effectiveGate = (ceiling: boolean | null, stored: boolean): boolean => ceiling !== false && stored

/** The ceilings of this environment; closed by default. */
export const ceilingsOf = (environment: {
  productionSendingCeiling: boolean
  testSendsCeiling: boolean
  syntheticRehearsalsCeiling: boolean
}): Ceilings => ({
  rate_limit_enabled: null,
  automation_enabled: null,
  production_sending_enabled: environment.productionSendingCeiling,
  test_sends_enabled: environment.testSendsCeiling,
  synthetic_rehearsals_enabled: environment.syntheticRehearsalsCeiling,
})
