"""Scan thousands of skills in many processes, here or on a Dask cluster, and store the results in one file.

`survey` reads the skills and summarizes the results, `dispatcher` submits batches of skills to an executor,
`process_pool` scans them in processes with limits (`scan_process`).
"""
