import type { ReportedPart } from './erasure.entity.ts'

/** The services that store personal data of contacts and report its deletion. */
export const erasingServices = ['contacts-consent', 'campaigns-delivery', 'webhook-intake', 'automations'] as const

export interface ErasedByService {
  service: string
  state: 'running' | 'completed'
  removed: Record<string, number>
}

/** The rows that each service has deleted so far. A service is complete when all its parts have arrived. */
export const erasedByService = (parts: readonly ReportedPart[]): ErasedByService[] =>
  erasingServices.map((service) => {
    const own = parts.filter((part) => part.service === service)
    const removed: Record<string, number> = {}
    for (const part of own)
      for (const [kind, rows] of Object.entries(part.removed)) removed[kind] = (removed[kind] ?? 0) + rows
    const isComplete = own.length > 0 && own.length >= Math.max(...own.map((part) => part.parts))
    return { service, state: isComplete ? 'completed' : 'running', removed }
  })

export const isCompleted = (services: readonly ErasedByService[]): boolean =>
  services.every(({ state }) => state === 'completed')
