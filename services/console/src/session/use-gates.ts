import { consoleApi } from './clients.ts'
import { useAnswer } from './use-answer.ts'

/** The platform gates, which only administrators of the platform can read. */
export const useGates = ({ enabled = true }: { enabled?: boolean } = {}) =>
  useAnswer(['gates'], (options) => consoleApi.listPlatformGates({}, options), { everyMs: 10_000, enabled })
