import { Counter } from 'prom-client'
import type { Service } from '@lettergate/service'

export type ImportMetrics = ReturnType<typeof openImportMetrics>

/** Registers the metrics of a process of this service. */
export const openImportMetrics = (service: Service) => ({
  uploads: new Counter({
    name: 'lettergate_import_uploads_total',
    help: 'Uploads of CSV files by outcome: stored, refused because of the file or its form, or broken off',
    labelNames: ['outcome'],
    registers: [service.metrics],
  }),
  uploadedBytes: new Counter({
    name: 'lettergate_import_uploaded_bytes_total',
    help: 'Bytes of the stored CSV files',
    registers: [service.metrics],
  }),
})
