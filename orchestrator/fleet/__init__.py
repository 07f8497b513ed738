"""Scan thousands of skills in many processes, here or on a Dask cluster, and keep the results in one store.

`survey` reads the skills and sums up, `dispatcher` submits batches of them to an executor, `process_pool` runs them in
processes with limits (`scan_process`).
"""
