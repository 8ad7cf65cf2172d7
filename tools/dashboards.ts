// The dashboards of charts/lettergate/files/dashboards: node tools/write-dashboards.ts
import { consent } from './dashboard-consent.ts'
import { delivery } from './dashboard-delivery.ts'
import { platform } from './dashboard-platform.ts'
import { service } from './dashboard-service.ts'
import type { Dashboard } from './dashboard.ts'

export const dashboards: Record<string, Dashboard> = { platform, delivery, consent, service }
