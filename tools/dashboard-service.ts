import { lines, percentiles, rate, type Dashboard } from './dashboard.ts'

const own = '{service="$service"}'

export const service: Dashboard = {
  title: 'Lettergate: one service',
  description:
    'Requests, calls, events and resources of one service. A dot on a latency leads to the trace of one request.',
  choices: { service: 'process_start_time_seconds' },
  rows: {
    Requests: [
      lines('HTTP requests by status', 'ops', { [rate('lettergate_http_seconds_count', 'status', own)]: '{{status}}' }),
      lines('Time to answer', 's', percentiles('lettergate_http_seconds', own)),
      lines('Time to answer, 99th percentile by route', 's', percentiles('lettergate_http_seconds', own, 'route')),
      lines('Refusals of the gateway', 'ops', {
        [rate('lettergate_gateway_refusals_total', 'status, reason', own)]: '{{status}} {{reason}}',
      }),
    ],
    'Calls of other services': [
      lines('Calls by outcome', 'ops', {
        [rate('lettergate_rpc_server_seconds_count', 'outcome', own)]: '{{outcome}}',
      }),
      lines('Time to answer', 's', percentiles('lettergate_rpc_server_seconds', own)),
      lines(
        'Time to answer, 99th percentile by method',
        's',
        percentiles('lettergate_rpc_server_seconds', own, 'method'),
      ),
      lines('Calls that failed', 'ops', {
        [rate(
          'lettergate_rpc_server_seconds_count',
          'method, outcome',
          '{service="$service",outcome=~"internal|unavailable"}',
        )]: '{{method}} {{outcome}}',
      }),
    ],
    Events: [
      lines('Events by outcome', 'ops', {
        [rate('lettergate_events_handled_total', 'consumer, outcome', own)]: '{{consumer}} {{outcome}}',
      }),
      lines(
        'Time to handle a batch, 99th percentile',
        's',
        percentiles('lettergate_events_process_seconds', own, 'consumer'),
      ),
      lines('Consumer lag (messages)', 'short', {
        [`max by (consumer) (lettergate_consumer_lag_messages${own})`]: '{{consumer}}',
      }),
      lines('Age of the oldest unpublished event', 's', { [`max(lettergate_outbox_oldest_seconds${own})`]: 'oldest' }),
      lines('Dead letters', 'short', { [`max(lettergate_dead_letters${own})`]: 'dead letters' }),
      lines('Job items that failed', 'ops', { [rate('lettergate_job_item_failures_total', 'job', own)]: '{{job}}' }),
    ],
    Resources: [
      lines('Processor time', 'percentunit', {
        [rate('process_cpu_seconds_total', 'role, instance', own)]: '{{role}} {{instance}}',
      }),
      lines('Use of the event loop', 'percentunit', {
        [`max by (role, instance) (nodejs_eventloop_utilization${own})`]: '{{role}} {{instance}}',
      }),
      lines('Memory', 'bytes', {
        [`max by (role, instance) (process_resident_memory_bytes${own})`]: '{{role}} {{instance}}',
        [`max by (role, instance) (nodejs_heap_size_used_bytes${own})`]: '{{role}} {{instance}} heap',
      }),
      lines('Garbage collection', 'percentunit', {
        [rate('nodejs_gc_duration_seconds_sum', 'role, kind', own)]: '{{role}} {{kind}}',
      }),
      lines('Open files', 'short', { [`max by (role, instance) (process_open_fds${own})`]: '{{role}} {{instance}}' }),
    ],
  },
}
