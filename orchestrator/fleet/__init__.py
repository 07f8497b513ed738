"""Scan thousands of skills in many processes, on this machine or on a Dask cluster, and store the results in one file.

`survey` reads the skills and summarizes the results. `dispatcher` submits batches of skills to an executor.
`process_pool` scans the skills in processes (`scan_process`) that have a time limit and a memory limit.
"""
