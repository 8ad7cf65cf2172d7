import { api } from './clients.ts'
import { useAnswer } from './use-answer.ts'

/** Whether the platform gate for production sending is open; every user may know it. */
export const useHealth = () => useAnswer(['health'], (options) => api.getHealth({}, options), { everyMs: 15_000 })
