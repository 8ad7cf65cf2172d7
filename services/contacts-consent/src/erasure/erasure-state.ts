import type { ReportedPart } from './erasure.entity.ts'

/** Whoever holds personal data of contacts beside this service, and says when it is removed. */
export const erasingServices = ['contacts-consent', 'campaigns-delivery', 'webhook-intake'] as const

export interface ErasedByService {
  service: string
  state: 'running' | 'completed'
  removed: Record<string, number>
}

/** What each service has removed so far. One has finished when all the parts that it speaks of have come. */
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
